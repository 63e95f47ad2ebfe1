import { type Fault, isFault, type Json, type Ref, type StepContext } from '../../../kernel/index.ts'
import { valuePreview } from '../board/value-text.ts'
import type { CompiledTree } from '../compile/compiled.ts'
import type { LaidNode } from '../compile/layout.ts'
import type { NodeBoard } from '../manifest/behaviour.ts'
import { faults } from '../model/faults.ts'
import { REASON_KEY, TRACE_KEY } from './failures.ts'
import { readKey } from './read-key.ts'
import type { Scopes } from './scopes.ts'

/** The keys of the runtime, and the mirror of the keys that all trees share. */
const RESERVED = '_'
const GLOBAL = '@'

/** What the board of a node needs of a tick. */
export interface BoardTick {
  readonly x: StepContext
  readonly scopes: Scopes
  /** What was written for all trees and is not staged. */
  readonly globals: (readonly [key: string, value: Json])[]
  readonly failureReason: Json | undefined
  readonly failureTrace: Json
  wasRead(node: LaidNode, key: string): void
  wasWritten(node: LaidNode, key: string): void
}

/** The blackboard of a node over the board of a frame: its scope, the outer scopes, then the keys that all trees share. */
export class FrameBoard implements NodeBoard {
  readonly #tick: BoardTick
  readonly #node: LaidNode

  constructor(tick: BoardTick, node: LaidNode) {
    this.#tick = tick
    this.#node = node
  }

  get(key: string): Json | undefined {
    this.#tick.wasRead(this.#node, key)
    if (key === TRACE_KEY) return this.#tick.failureTrace
    return readKey(
      key,
      (name) => this.#read(name),
      (name) => this.#tick.x.get(name),
      (scope) => this.#tick.scopes.sees(this.#node, scope),
    )
  }

  has(key: string): boolean {
    return this.#read(key) !== undefined || this.#read(GLOBAL + key) !== undefined
  }

  #read(key: string): Json | undefined {
    if (key === REASON_KEY) return this.#tick.failureReason
    const { x, scopes } = this.#tick
    const scope = scopes.read(this.#node)
    return scope === undefined ? x.get(key) : x.getIn(scope, key)
  }

  set(key: string, value: unknown): void {
    const checked = checkedValue(this.#node, key, value)
    this.#write(key, checked, this.#tick.scopes.write(this.#node))
    this.#tick.wasWritten(this.#node, key)
  }

  setGlobal(key: string, value: unknown): void {
    const checked = checkedValue(this.#node, key, value)
    const staged = this.#tick.scopes.stage(this.#node)
    this.#write(GLOBAL + key, checked, staged)
    this.#tick.wasWritten(this.#node, key)
    if (staged === undefined) this.#tick.globals.push([key, checked])
  }

  #write(key: string, value: Json, scope: Ref | undefined): void {
    try {
      if (scope === undefined) this.#tick.x.set(key, value, { from: this.#node.path })
      else this.#tick.x.setIn(scope, key, value, { from: this.#node.path })
    } catch (thrown) {
      throw isFault(thrown) && thrown.code === 'R2008' ? tooLarge(this.#node, key, value, thrown) : thrown
    }
  }

  delete(key: string): boolean {
    return this.#tick.scopes.delete(this.#node, key)
  }

  setInternal(key: string, value: unknown): void {
    if (!isEqual(this.#tick.x.get(key), value)) this.#tick.x.setInternal(key, value)
  }

  deleteInternal(key: string): void {
    this.#tick.x.delete(key)
  }
}

function isEqual(stored: Json | undefined, value: unknown): boolean {
  return stored === value || (typeof value === 'object' && stored !== undefined && JSON.stringify(stored) === JSON.stringify(value))
}

/** Returns why a write would be refused. */
export function refusalOf(node: LaidNode, key: string, value: unknown): Fault | undefined {
  try {
    checkedValue(node, key.startsWith(GLOBAL) ? key.slice(1) : key, value)
    return undefined
  } catch (thrown) {
    if (isFault(thrown)) return thrown
    throw thrown
  }
}

/** Returns a value as the schema of its key has it. `path`: who writes it. Throws in this order: R1213 reserved, R1211 unknown, R1212 wrong. */
export function checkedValue({ tree, path }: { readonly tree: CompiledTree; readonly path: string }, key: string, value: unknown): Json {
  if (key.startsWith(RESERVED) || key.startsWith(GLOBAL)) {
    throw faults.make('R1213', `${path} writes ${key}; keys that begin with _ are the runtime's`, { rule: 'E1003', path, data: { key } })
  }
  const schema = tree.schemas.get(key)
  if (schema === undefined) throw unregistered(tree, path, key)
  const result = schema.validate(value)
  if (result.issues === undefined) return result.value
  const issues = result.issues.map(({ message, path: at }) => (at?.length ? `${at.map(String).join('.')}: ${message}` : message)).join('; ')
  const preview = valuePreview(value)
  throw faults.make('R1212', `${path} writes ${key} as ${preview}, which is no ${schema.name}: ${issues}`, {
    rule: 'E1002',
    path,
    data: { key, expected_schema: schema.name, actual_type: typeof value, validation_error: issues, value_preview: preview },
  })
}

function unregistered(tree: CompiledTree, path: string, key: string): Fault {
  return faults.make('R1211', `${path} writes ${key}, which ${tree.id} does not declare`, {
    rule: 'E1001',
    path,
    data: { key, available_keys: [...tree.schemas.keys()] },
  })
}

function tooLarge({ path }: LaidNode, key: string, value: Json, cause: Fault): Fault {
  return faults.make('R1214', cause.message, {
    rule: 'E1004',
    path,
    data: { key_being_written: key, value_size_bytes: JSON.stringify(value).length },
    cause,
  })
}
