export * from "./entities";
export { createRegistry as makeRegistry, load } from "./registry";
export { default as tick, clock, each } from "./clock";
export * as clocks from "./clock";
