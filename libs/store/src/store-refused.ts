/** Why a store is not opened, as a sentence for whoever starts the process: what is wrong, and what to do. */
export class StoreRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreRefused";
  }
}
