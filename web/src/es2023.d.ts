// Of what came with ES2023, the functions that all supported browsers and Node 18 have. Whatever else is newer than
// ES2022 does not compile: a test in Node 18 would find that it is missing, and so would a reader's older browser.
interface Array<T> {
  findLast<S extends T>(is: (value: T, index: number, array: T[]) => value is S): S | undefined;
  findLast(is: (value: T, index: number, array: T[]) => unknown): T | undefined;
  findLastIndex(is: (value: T, index: number, array: T[]) => unknown): number;
}
