import { User, clocks } from ".";

type Props = { user: User; now?: () => number };

export const Name = ({ user }: Props) => <b>{user.describe()}</b>;

export function Page({ user, now }: Props) {
  const lines = user.pages();
  const stamp = now ? now() : clocks.clock.now();
  return (
    <main title={String(stamp)}>
      <Name user={user} />
      {lines.map((line) => (
        <Line key={line} text={line} />
      ))}
    </main>
  );
}

function Line(props: { text: string }) {
  return <p>{props.text}</p>;
}
