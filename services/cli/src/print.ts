export const print = (text: string): void => void process.stdout.write(text);
export const printError = (text: string): void => void process.stderr.write(text);
