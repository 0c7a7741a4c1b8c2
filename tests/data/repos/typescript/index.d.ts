export * as ns from './x';
declare const version: string;
declare global {
  interface Window { shop: unknown }
}
export default function (): { name: string };
export declare class Api<in out T> {
  static of<U>(value: U): Api<U>;
  method(): void;
}
