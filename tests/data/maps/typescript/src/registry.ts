import { User } from "./entities.js";
import type { Clock } from "./clock";

export interface Registry {
  add(user: User): void;
  find(id: string): User | undefined;
}

export function createRegistry(clock: Clock): Registry {
  const users = new Map<string, User>();

  function touch(user: User) {
    user.visit(`touched ${clock.now()}`);
  }

  return {
    add(user) {
      touch(user);
      users.set(user.id, user);
    },
    find: (id) => users.get(id),
  };
}

export async function load(lines: Iterable<string>, registry: Registry): Promise<User[]> {
  const found: User[] = [];
  for (const line of lines) {
    const user = User.parse(line);
    registry.add(user);
    found.push(user);
  }
  return found;
}
