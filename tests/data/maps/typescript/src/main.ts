import { makeRegistry, load, clock, tick, each, User } from "./index";
import { Page } from "./view";
import * as registries from "./registry";

async function main(): Promise<void> {
  const registry = makeRegistry(clock.shift(5));
  const users = await load(["a", "b"], registry);
  users.forEach((user) => user.visit("home"));
  const load2 = registries.load;
  await load2([], registry);
  each(users, (user, watch) => {
    user.visit(String(watch.now()));
  });
  registry.find("a")?.describe();
  for (const user of users) {
    Page({ user });
    user.visit("one").visit("two");
  }
  User.parse("x").describe();
  const { parse } = User;
  parse("y");
  tick();
}

function shadow(load: (n: number) => void, User: { parse(text: string): void }) {
  load(1);
  User.parse("z");
}

main().then(() => shadow(console.log, { parse: () => {} }));
