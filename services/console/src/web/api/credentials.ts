/** By what this browser is known: a token, or what it shows itself when it connects, such as a certificate. */
export type Credentials =
  | {
      readonly type: "token";
      readonly token: string;
      /** What brings a newer one of the same provider. */
      readonly refreshToken?: string | undefined;
    }
  | { readonly type: "browser" };
