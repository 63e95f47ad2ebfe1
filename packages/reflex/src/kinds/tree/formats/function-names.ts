import type { Json } from '../../../kernel/index.ts'

/** A function of a program in TypeScript that a node calls: with the context of the tick and its arguments. */
export type TreeFunction = (context: never, args: Json) => unknown

/** Names the functions that a program in TypeScript gives directly, so that its tree is data. */
export class FunctionNames {
  readonly #names = new Map<TreeFunction, string>()
  readonly #functions = new Map<string, TreeFunction>()

  /** The functions by the names that stand in the tree. */
  get functions(): ReadonlyMap<string, TreeFunction> {
    return this.#functions
  }

  /** Returns the name of a function: its own, with a number behind it if another function has it. */
  nameOf(given: TreeFunction): string {
    const known = this.#names.get(given)
    if (known !== undefined) return known
    const base = given.name === '' ? 'function' : given.name
    let name = base
    for (let count = 2; this.#functions.has(name); count++) name = `${base}_${count}`
    this.#names.set(given, name)
    this.#functions.set(name, given)
    return name
  }
}
