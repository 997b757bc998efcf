/** The folder of the pages as the build leaves them, with `.gz` and `.br` beside each file. */
export const siteFolder = new URL("./site/", import.meta.url);
