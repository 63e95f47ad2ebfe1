import { branches } from './hundred.ts'

const [FRESH, SUCCESS, FAILURE] = [0, 2, 3] as const
const [SEQUENCE, SELECTOR, ALWAYS, STEADY, TURNING] = [0, 1, 2, 3, 4] as const

interface FloorNode {
  readonly type: number
  readonly phase: number
  readonly children: readonly FloorNode[]
}

/** The floor: a loop that ticks the same nodes, and keeps the status of each in an array. It records nothing. */
export class ArrayLoop {
  readonly #types: number[] = []
  readonly #phases: number[] = []
  readonly #children: number[][] = []
  readonly statuses: Uint8Array
  #count = 0

  constructor() {
    const node = (type: number, children: readonly FloorNode[] = [], phase = 0): FloorNode => ({ type, phase, children })
    const all = branches<FloorNode>({
      sequence: (children) => node(SEQUENCE, children),
      selector: (children) => node(SELECTOR, children),
      alwaysSucceed: (child) => node(ALWAYS, [child]),
      steady: () => node(STEADY),
      turning: (phase) => node(TURNING, [], phase),
    })
    this.#add(node(SEQUENCE, [...all, node(STEADY)]))
    this.statuses = new Uint8Array(this.#types.length)
  }

  #add({ type, phase, children }: FloorNode): number {
    const index = this.#types.push(type) - 1
    this.#phases.push(phase)
    this.#children.push([])
    for (const child of children) this.#children[index]?.push(this.#add(child))
    return index
  }

  tick(): number {
    this.#count++
    return this.#visit(0)
  }

  #visit(index: number): number {
    const status = this.#answer(index)
    this.statuses[index] = status
    return status
  }

  #answer(index: number): number {
    switch (this.#types[index]) {
      case SEQUENCE:
        return this.#oneAfterAnother(index, SUCCESS)
      case SELECTOR:
        return this.#oneAfterAnother(index, FAILURE)
      case ALWAYS:
        this.#oneAfterAnother(index, SUCCESS)
        return SUCCESS
      case STEADY:
        return SUCCESS
      default:
        return this.#count % 2 === this.#phases[index] ? SUCCESS : FAILURE
    }
  }

  #oneAfterAnother(index: number, goesOnAfter: number): number {
    const children = this.#children[index] ?? []
    for (let i = 0; i < children.length; i++) this.statuses[children[i] ?? 0] = FRESH
    for (let i = 0; i < children.length; i++) {
      const status = this.#visit(children[i] ?? 0)
      if (status !== goesOnAfter) return status
    }
    return goesOnAfter
  }
}
