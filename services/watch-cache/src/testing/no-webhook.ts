/** Of tests without kinds that a webhook converts. */
export const noWebhook = (): Promise<never> => Promise.reject(new TypeError("no webhook is asked here"));
