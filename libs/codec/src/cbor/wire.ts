/** The high three bits of an item's first byte (RFC 8949, section 3.1). */
export const major = { unsigned: 0, negative: 1, bytes: 2, text: 3, list: 4, map: 5, tag: 6, simple: 7 } as const;

/** What the low five bits say in the simple and floating-point type. */
export const simple = { false: 20, true: 21, null: 22, half: 25, single: 26, double: 27, break: 31 } as const;

/** The tags that are read, and how each changes the byte strings inside it. */
export const tags = { base64url: 21, base64: 22, base16: 23, selfDescribed: 55799 } as const;

/** The head of {@link tags.selfDescribed}, with which every body begins that the reference writes. */
export const selfDescribed = Buffer.from([0xd9, 0xd9, 0xf7]);
