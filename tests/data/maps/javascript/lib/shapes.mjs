import tools, { text } from './tools.js'

export class Shape {
  area () {
    return 0
  }
}

export class Square extends Shape {
  constructor (side) {
    super()
    this.side = side
  }

  area () {
    return super.area() + this.side * this.side
  }

  /**
   * @param {Square} other
   * @returns {Square}
   */
  larger (other) {
    return other.area() > this.area() ? other : this
  }
}

export default () => tools.area(new Square(2).larger(new Square(text.upper('3'))))
