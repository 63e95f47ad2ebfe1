import { isList, isObject, type Json } from '../../../kernel/index.ts'
import type { AttributeRow } from '../model/attribute-row.ts'
import { isStrict, valueProblem } from '../model/attribute-value.ts'
import { fileUri } from '../model/capability-uris.ts'
import type { OperationTable } from '../model/operation-table.ts'
import type { TypedNode } from '../model/typed.ts'
import { readsOfNode } from './labelling.ts'
import type { NodeContext } from '../contract/handler.ts'
import type { Middleware, Token } from './middleware.ts'

/** The most bytes of an attribute, and of a value of the context (reference pipeline 5.2). */
const MOST_ATTRIBUTE = 1_000_000
const MOST_VALUE = 10_000_000

/**
 * Refuses inputs that no handler should receive: NUL characters, paths out of the folder, values of the wrong type, and
 * values that are too large.
 */
export const safeInput: Middleware = {
  name: 'safe_input',
  before(token) {
    const problem = attributeFindings(token.context).problem ?? pathsProblem(token) ?? valuesProblem(token)
    return problem === undefined ? undefined : { halt: `unsafe input: ${token.context.node.id} ${problem}` }
  },
  after({ context }, { context_updates = {} }) {
    const large = Object.entries(context_updates).find(([, value]) => isLargerThan(value, MOST_VALUE))
    return large === undefined ? undefined : { halt: `unsafe output: ${context.node.id} writes more than 10 MB to ${large[0]}` }
  },
}

/**
 * The findings in the attributes of a node. They never change, because the text does not; the operator decides where
 * its paths may lead.
 */
interface AttributeFindings {
  readonly problem: string | undefined
  readonly paths: readonly (readonly [name: string, path: string])[]
}

const known = new WeakMap<TypedNode, AttributeFindings>()

function attributeFindings({ node, typed: { operations } }: NodeContext): AttributeFindings {
  let written = known.get(node)
  if (written === undefined) {
    const names = [...node.node.attributes.keys()]
    const problem = names.map((name) => attributeProblem(node, name, operations)).find((one) => one !== undefined)
    const paths = names.filter((name) => rowOf(node, name, operations)?.type === 'path')
    written = { problem, paths: paths.map((name) => [name, String(node.node.attributes.get(name)?.value ?? '').trim()]) }
    known.set(node, written)
  }
  return written
}

function rowOf({ operation, custom }: TypedNode, name: string, { attributes }: OperationTable): AttributeRow | undefined {
  const row = custom === undefined ? attributes.find('node', name, operation) : undefined
  return row === 'ignored' ? undefined : row
}

function attributeProblem(typed: TypedNode, name: string, operations: OperationTable): string | undefined {
  const { node } = typed
  const attribute = node.attributes.get(name)
  if (attribute === undefined) return undefined
  const { value } = attribute
  if (typeof value === 'string' && value.includes('\0')) return `has the character NUL in ${name}`
  if (typeof value === 'string' && isLargerThan(value, MOST_ATTRIBUTE)) return `has more than 1 MB in ${name}`
  const row = rowOf(typed, name, operations)
  if (row === undefined || !isStrict(row)) return undefined
  const wrong = valueProblem(row, name, node.attributes)
  return wrong === undefined ? undefined : `has ${name}=${String(value)}, which ${wrong === 'duration' ? 'is not a duration' : wrong}`
}

/**
 * Returns the problem of a path in the text: it must be below the work folder or the run's own folder, unless the
 * operator has granted it by name.
 */
function pathsProblem({ context }: Token): string | undefined {
  const { node, permissions } = context
  for (const [name, path] of attributeFindings(context).paths) {
    if (leavesFolder(path)) return `has a path that leads out of its folder in ${name}: ${path}`
    const isFree = !isAbsolute(path) || isBelow(path, permissions.workdir) || isBelow(path, permissions.folder) || isJudged(node, path)
    if (!isFree) return `has a path outside the work folder in ${name}: ${path}`
  }
  return undefined
}

/** True if the path is among the capabilities of the node, and capability_check has passed the node. */
function isJudged({ capabilitiesRequired }: TypedNode, path: string): boolean {
  return capabilitiesRequired.includes(fileUri('read', path)) || capabilitiesRequired.includes(fileUri('write', path))
}

/**
 * Returns the problem of a value that a node reads: a path must not lead out of the folder. Access to the file is
 * checked when it is opened.
 */
function valuesProblem({ context }: Token): string | undefined {
  for (const { key, needs } of readsOfNode(context.node)) {
    const value: Json | undefined = context.get(key)
    if (value === undefined) continue
    if (isLargerThan(value, MOST_VALUE)) return `reads more than 10 MB from ${key}`
    if (needs !== 'path_traversal' || typeof value !== 'string') continue
    if (value.includes('\0')) return `reads a path with the character NUL from ${key}`
    if (leavesFolder(value)) return `reads a path that leads out of its folder from ${key}: ${value}`
  }
  return undefined
}

/** True if the `..` steps of a path lead above its beginning. */
function leavesFolder(path: string): boolean {
  let depth = 0
  for (const step of path.split(/[\\/]/)) {
    if (step === '' || step === '.') continue
    depth += step === '..' ? -1 : 1
    if (depth < 0) return true
  }
  return false
}

function isAbsolute(path: string): boolean {
  return /^([\\/]|[A-Za-z]:[\\/]|~|\$HOME|\$\{HOME\})/.test(path)
}

/** True if an absolute path lies in a folder; a path that contains `..` never does. */
function isBelow(path: string, folder: string): boolean {
  return (path === folder || path.startsWith(`${folder}/`)) && !path.split(/[\\/]/).includes('..')
}

/** True if a value as JSON has roughly more characters than a limit. It stops as soon as that is certain. */
function isLargerThan(value: Json, limit: number): boolean {
  return remainingSize(value, limit) < 0
}

/** Returns the rest of a size after subtracting a value; negative if the value is too large. */
function remainingSize(value: Json, size: number): number {
  if (typeof value === 'string') return size - value.length
  let rest = size - 8
  const inner = isList(value) ? value : isObject(value) ? Object.values(value) : []
  for (const one of inner) {
    if (rest < 0) return rest
    rest = remainingSize(one, rest)
  }
  return rest
}
