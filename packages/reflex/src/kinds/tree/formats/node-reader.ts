import type { JsonObject } from '../../../kernel/index.ts'
import type { NodeManifest } from '../manifest/manifest.ts'
import type { Draft } from './drafts.ts'
import { type Findings, hasErrors, unknownType } from './findings.ts'
import type { FunctionNames } from './function-names.ts'
import type { NamedType, TypeNames } from './names.ts'
import { KeyReader, labelOf } from './node-keys.ts'
import { type Origin, type RawNode, REFUSED } from './raw.ts'

/** The deepest nesting of nodes. */
export const MOST_LEVELS = 200

/** The type of the node that stands for several children where one is expected. */
const IMPLICIT = 'sequence'

/** Turns nodes as they are written into nodes in their normal form, and reports everything that is wrong. */
export class NodeReader {
  readonly #types: TypeNames
  readonly #findings: Findings
  readonly #functions: FunctionNames | undefined
  readonly #used = new Map<RawNode, RawNode | undefined>()

  constructor(types: TypeNames, findings: Findings, functions?: FunctionNames) {
    this.#types = types
    this.#findings = findings
    this.#functions = functions
  }

  /** Returns the draft of a node; undefined if nothing can stand for it. */
  read(node: RawNode, parent?: RawNode, level = 1): Draft | undefined {
    if (this.#isUsed(node, parent)) return undefined
    if (level > MOST_LEVELS) {
      this.#findings.wrong(node.origin, `nodes are nested more than ${MOST_LEVELS} levels deep`, { fix: 'move a part into a subtree' })
      return undefined
    }
    for (const { message, ...details } of node.mistakes) this.#findings.wrong(node.origin, message, details)
    const named = this.#types.find(node.type)
    if (named === undefined) this.#unknown(node)
    const before = this.#findings.all.length
    const keys =
      named === undefined
        ? { params: {} }
        : new KeyReader(named.manifest, named.implied, node, this.#findings, this.#functions).read(node.keys)
    const isRight = !hasErrors(this.#findings.all.slice(before)) && ![...node.keys.values()].includes(REFUSED)
    const children = node.children.flatMap((child) => this.read(child, node, level + 1) ?? [])
    if (named === undefined) return undefined
    const codeLine = codeLineOf(node.origin, named.manifest, keys.params)
    const draft = wrapped({ ...keys, type: named.manifest.type, origin: node.origin, codeLine, children }, named.manifest)
    this.#checkChildren(node, named, draft.children.length, children.length === node.children.length)
    if (isRight) this.#checkTogether(node, named, draft)
    return draft
  }

  /** True for a node that stands in two places: it is one node, and has one state. */
  #isUsed(node: RawNode, parent: RawNode | undefined): boolean {
    if (!this.#used.has(node)) {
      this.#used.set(node, parent)
      return false
    }
    const first = this.#used.get(node)
    const data = { first_location: first?.origin.line ?? null, second_location: parent?.origin.line ?? null }
    const line = node.origin.line === undefined ? '' : ` of line ${node.origin.line}`
    const fix = 'make a node for each place: call the function of BT again'
    this.#findings.node('R1225', parent?.origin ?? node.origin, `the ${labelOf(node)}${line} stands in two places of the tree`, {
      fix,
      data,
    })
    return true
  }

  #unknown({ type, origin }: RawNode): void {
    const guess = this.#types.suggest(type)
    const fix = guess === undefined ? 'reflex explain nodes lists the types of nodes' : `write ${guess}`
    this.#findings.wrong(origin, unknownType(type, guess), { key: 'type', fix })
  }

  #checkChildren(node: RawNode, { manifest }: NamedType, count: number, isWhole: boolean): void {
    const [least, most] = manifest.children
    // A child that was refused was reported, and its place is not an empty one.
    if (count > most || (count < least && isWhole)) {
      const found = count === 0 ? 'none' : String(count)
      const data = { actual_type: manifest.role, child_count: count, expected_children: childrenText(manifest) }
      const details = { fix: childrenFix(manifest, count), data, key: 'children' }
      const taken = count > most && most > 10 ? `at most ${most} children` : childrenText(manifest)
      this.#findings.node('R1226', node.origin, `${labelOf(node)} takes ${taken}, and has ${found}`, details)
    }
  }

  #checkTogether(node: RawNode, { manifest }: NamedType, { params, children }: Draft): void {
    const defaults = Object.fromEntries(
      manifest.parameters.flatMap((parameter) => (parameter.default === undefined ? [] : [[parameter.name, parameter.default] as const])),
    )
    const mistake = manifest.check?.({ ...defaults, ...params }, children.length)
    if (mistake !== undefined) this.#findings.wrong(node.origin, `${labelOf(node)}: ${mistake}`)
  }
}

/** Returns the line on which the script or the condition of a node begins. */
function codeLineOf(origin: Origin, { parameters }: NodeManifest, params: JsonObject): number | undefined {
  for (const { name, type, aliases = [] } of parameters) {
    const code = type === 'lua' || type === 'condition' ? params[name] : undefined
    if (typeof code === 'string') return origin.codeLine?.([name, ...aliases], code)
  }
  return undefined
}

/** Makes one sequence of several children, for nodes that take one and accept more. */
function wrapped(draft: Draft, { children: [, most], lua }: NodeManifest): Draft {
  if (lua?.wraps !== true || draft.children.length <= most) return draft
  return { ...draft, children: [{ type: IMPLICIT, origin: draft.origin, params: {}, children: draft.children }] }
}

function childrenText({ children: [least, most] }: NodeManifest): string {
  if (most === 0) return 'no children'
  if (least === most) return least === 1 ? 'exactly one child' : `exactly ${least} children`
  if (most <= 10) return `${least} to ${most} children`
  return least === 1 ? 'at least one child' : `at least ${least} children`
}

function childrenFix({ children: [, most] }: NodeManifest, count: number): string {
  if (count === 0) return 'add a child'
  return most === 1 ? 'put the children into a sequence' : 'add or remove children'
}
