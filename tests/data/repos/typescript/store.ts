import type { Row } from './rows';

/** Anything with an id. */
export interface Entity<T extends string = string> extends Row, Partial<Other> {
  readonly id: T;
  load?(deep: boolean): Promise<void>;
}

export type Keys<T> = { [K in keyof T]: T[K] extends Function ? never : K }[keyof T];

export const enum Level { Low = 1, High }

declare module 'rows' {
  export function open(path: string): Row;
}

namespace Inner {
  export const value = <T,>(x: T): T => x;
}

export abstract class Store<T extends Entity> implements Iterable<T> {
  private static readonly MAX = 10;
  #rows: T[] = [];

  constructor(private readonly path: string, protected level: Level = Level.Low) {}

  abstract flush(force?: boolean): void;

  @logged({ level: 'debug' })
  public async find<K extends keyof T>(key: K, ...rest: T[K][]): Promise<T | undefined> {
    return this.#rows.find((row) => rest.includes(row[key]));
  }

  get size(): number { return this.#rows.length; }

  *[Symbol.iterator](): Iterator<T> { yield* this.#rows; }

  compare = (a: T, b: T): number => (a.id < b.id ? -1 : 1);
}

export function pick(name: 'a'): string;
export function pick(name: 'b'): number;
export function pick(name: string): unknown {
  return name satisfies string;
}

export default class {}
