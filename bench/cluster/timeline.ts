/** Something that happens at a time of a simulation. */
type Action = () => void

/** Virtual time in milliseconds: actions happen in the order of their times, and those of one time in the order of their calls. */
export class Timeline {
  #now = 0
  #calls = 0
  readonly #times: number[] = []
  readonly #orders: number[] = []
  readonly #actions: Action[] = []

  get now(): number {
    return this.#now
  }

  /** Performs the action at a time, or now if the time has passed. */
  at(time: number, action: Action): void {
    let place = this.#times.length
    const [when, order] = [Math.max(time, this.#now), this.#calls++]
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!this.#isBefore(when, order, parent)) break
      this.#move(parent, place)
      place = parent
    }
    this.#put(place, when, order, action)
  }

  /** Performs everything up to a time. Returns true if something is left. */
  runTo(end: number): boolean {
    while ((this.#times[0] ?? Number.POSITIVE_INFINITY) <= end) {
      this.#now = this.#times[0] ?? end
      this.#takeFirst()()
    }
    this.#now = Math.max(this.#now, end)
    return this.#times.length > 0
  }

  #takeFirst(): Action {
    const [first] = this.#actions
    const [when, order, action] = [this.#times.pop(), this.#orders.pop(), this.#actions.pop()]
    if (first === undefined || when === undefined || order === undefined || action === undefined) throw new Error('nothing is left')
    if (this.#times.length > 0) this.#sink(when, order, action)
    return first
  }

  #sink(when: number, order: number, action: Action): void {
    const size = this.#times.length
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= size) break
      if (child + 1 < size && this.#isBefore(this.#times[child + 1] ?? 0, this.#orders[child + 1] ?? 0, child)) child++
      if (this.#isBefore(when, order, child)) break
      this.#move(child, place)
      place = child
    }
    this.#put(place, when, order, action)
  }

  #isBefore(when: number, order: number, place: number): boolean {
    const other = this.#times[place] ?? Number.POSITIVE_INFINITY
    return when < other || (when === other && order < (this.#orders[place] ?? 0))
  }

  #move(from: number, to: number): void {
    const [when, order, action] = [this.#times[from], this.#orders[from], this.#actions[from]]
    if (when !== undefined && order !== undefined && action !== undefined) this.#put(to, when, order, action)
  }

  #put(place: number, when: number, order: number, action: Action): void {
    this.#times[place] = when
    this.#orders[place] = order
    this.#actions[place] = action
  }
}
