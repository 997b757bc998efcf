/** Texts of files by their names. */
export type Bundle = Readonly<Record<string, string>>;

/** Where certificates are kept: what one process needs is one bundle. */
export interface CertificatePlace {
  /** Undefined where there is no such bundle. */
  read(name: string): Promise<Bundle | undefined>;
  /**
   * Puts a bundle in the place of the one that was read: whole or not at all.
   * @throws Error where somebody else has changed it meanwhile
   */
  write(name: string, bundle: Bundle): Promise<void>;
}
