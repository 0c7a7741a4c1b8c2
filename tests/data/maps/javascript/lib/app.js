const Stack = require('./stack')
const { of } = require('./stack')
const { area, text: words } = require('./tools')

const app = {
  stack: new Stack(),
  start () {
    this.log(words.upper('start'))
    of(1, 2).push(3)
    app.stack.push(4).clear()
  },
  log (line) {
    area(line)
  }
}

app.start()
require('./tools').text.trim('x')
module.exports = app
