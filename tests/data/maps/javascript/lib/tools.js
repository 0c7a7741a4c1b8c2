/** @param {import('./shapes').Shape} shape */
function area (shape) {
  return shape.area()
}

const text = {
  upper (value) {
    return text.trim(value).toUpperCase()
  },
  trim: (value) => value.trim()
}

module.exports = { area, text, named: area }
