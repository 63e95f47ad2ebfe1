/** A list of numbers of a fixed width. */
interface NumberArray {
  readonly length: number
  [index: number]: number
  set(values: ArrayLike<number>): void
  subarray(from: number, to: number): this
}

/** A column of numbers that grows: half as much memory as the numbers of a list, and no pointers. */
export class GrowingColumn<Column extends NumberArray> {
  readonly #make: (size: number) => Column
  #items: Column
  length = 0

  constructor(make: (size: number) => Column) {
    this.#make = make
    this.#items = make(1024)
  }

  push(value: number): void {
    if (this.length === this.#items.length) {
      const larger = this.#make(this.length * 2)
      larger.set(this.#items)
      this.#items = larger
    }
    this.#items[this.length++] = value
  }

  at(place: number): number {
    return this.#items[place] ?? 0
  }

  /** Returns the items from one place to before another. It shares their memory. */
  part(from: number, to: number): Column {
    return this.#items.subarray(from, to)
  }

  all(): Column {
    return this.#items.subarray(0, this.length)
  }
}
