export class Clock {
  private offset = 0;

  now(): number {
    return Date.now() + this.offset;
  }

  shift(by: number): Clock {
    this.offset += by;
    return this;
  }
}

export const clock = new Clock();

export function each<T>(items: T[], run: (item: T, clock: Clock) => void): void {
  for (const item of items) run(item, clock);
}

export default function tick(): number {
  return clock.now();
}
