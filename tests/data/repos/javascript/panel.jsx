import React, { useState as state } from 'react';
import * as tools from './tools.mjs';

export const LIMIT = 3;

/** A panel that counts. */
export default function Panel({ title, children = null, ...rest }) {
  const [count, setCount] = state(0);
  const onClick = () => setCount(count + 1);
  return <section {...rest}><Title text={title} onClick={onClick} />{children}</section>;
}

export const Title = ({ text }) => <h1>{tools.upper(text)}</h1>;

export class Counter extends React.Component {
  static defaults = { start: 0 };
  state = { n: 0 };
  handle = async (event) => { this.setState({ n: event.n }); };
  constructor(props) { super(props); }
  static async *walk(from, to = 3) { yield from; }
  set size(value) { this.n = value; }
  ['computed' + 1]() {}
  render() { return <b>{this.state.n}</b>; }
}
