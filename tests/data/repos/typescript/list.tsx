type Props<T> = { items: T[]; render: (item: T) => JSX.Element };

/** Shows items. */
export const List = <T extends { id: string }>({ items, render }: Props<T>) => (
  <ul>{items.map((item) => <li key={item.id}>{render(item)}</li>)}</ul>
);

export function useThing(): [number, (n: number) => void] {
  const set = (n: number) => void n;
  return [1, set];
}
