'use strict'

exports = module.exports = Stack
exports.of = of

function Stack (items) {
  this.items = items || []
}

Stack.prototype.push = function push (item) {
  this.items.push(check(item))
  return this
}

Stack.prototype.clear = function clear () {
  while (this.items.length) this.items.pop()
}

function of (...items) {
  const stack = new Stack([])
  for (const item of items) stack.push(item)
  return stack
}

function check (item) {
  return item
}
