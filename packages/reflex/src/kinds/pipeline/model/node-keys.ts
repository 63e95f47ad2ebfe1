import { ACTION_FACTS, canonicalAction } from './action-facts.ts'
import { type Attributes, listOf, textOf } from '../dot/graph.ts'
import { factsOf } from './operations.ts'
import type { Input, Origin, Role, Safety } from './operation-facts.ts'

/** A node, as far as what it reads and writes goes. */
export interface KeyedNode {
  readonly id: string
  readonly operation: string
  readonly attributes: Attributes
}

/** One context value that a node reads. */
export interface KeyRead {
  readonly key: string
  /** The attribute that names it; empty where the operation itself does. */
  readonly attribute: string
  readonly role: Role
  readonly needs: Safety | undefined
}

/** One context value that a node writes; a key that ends in a dot stands for all that begin so. */
export interface KeyWrite {
  readonly key: string
  readonly origin: Origin
}

const PROMPT_KEY = /\$([A-Za-z_]\w*(?:\.\w+)*)/g
const TEMPLATE_KEY = /\{ctx\.([^{}]+)\}/g
const ENVIRONMENT_KEY = /\$\{?([A-Za-z_]\w*)/g

/** The context values that a node reads, as its attributes name them (reference pipeline 5.3, declared inputs). */
export function readsOf({ id, operation, attributes }: KeyedNode): KeyRead[] {
  const transform = operation === 'transform' ? (textOf(attributes, 'transform')?.trim() ?? 'identity') : undefined
  if (transform === 'constant') return []
  if (operation === 'action') return readsOfAction(attributes)
  const reads: KeyRead[] = []
  for (const input of factsOf(operation).inputs) {
    if (input.usual === undefined && !attributes.has(input.attribute)) continue
    if (input.reads !== 'template' || transform === 'template') reads.push(...readsOfInput(input, attributes, id))
    else if (transform === 'not_equal') reads.push(...readsOfInput({ ...input, reads: 'key' }, attributes, id))
  }
  return reads
}

/** An action says which of its parameters decide what is touched; the others are content (reference pipeline 5.3). */
function readsOfAction(attributes: Attributes): KeyRead[] {
  const facts = ACTION_FACTS.get(canonicalAction(textOf(attributes, 'action') ?? ''))
  const controls = new Map<string, Safety | true>()
  for (const [name, { control, also = [] }] of Object.entries(facts?.parameters ?? {}))
    if (control !== undefined) for (const one of [name, ...also]) controls.set(one, control)
  const listed = listOf(attributes, 'context_keys').map((key): KeyRead => {
    const control = controls.get(key.split('.').at(-1) ?? key)
    return {
      key: plainKey(key),
      attribute: 'context_keys',
      role: control === undefined ? 'data' : 'control',
      needs: control === true ? undefined : control,
    }
  })
  const others = (facts?.reads ?? []).map((key): KeyRead => ({ key, attribute: '', role: 'data', needs: undefined }))
  return [...listed, ...others]
}

/** The context values that a node writes. */
export function writesOf({ id, operation, attributes }: KeyedNode): KeyWrite[] {
  const action = operation === 'action' ? ACTION_FACTS.get(canonicalAction(textOf(attributes, 'action') ?? '')) : undefined
  const outputs = factsOf(operation).outputs.map((output) => ({ ...output, origin: action?.origin ?? output.origin }))
  const others = action?.writesAs === undefined ? [] : factsOf(action.writesAs).outputs
  return [...outputs, ...others].flatMap(({ key, attribute, isPrefix, origin }) => {
    const written = attribute === undefined ? undefined : textOf(attributes, attribute)?.trim()
    if (written) return [{ key: plainKey(isPrefix === true && !written.endsWith('.') ? `${written}.` : written), origin }]
    return key === undefined ? [] : [{ key: key.replace('<id>', () => id), origin }]
  })
}

/** A key without the prefix that means the same. */
export function plainKey(key: string): string {
  return key.startsWith('context.') ? key.slice('context.'.length) : key
}

function readsOfInput(input: Input, attributes: Attributes, id: string): KeyRead[] {
  const { attribute, role, needs, usual } = input
  const text = attribute === '' ? undefined : textOf(attributes, attribute)?.trim()
  return keysIn(input, text, attributes)
    .concat(text === undefined && usual !== undefined ? [usual.replace('<id>', () => id)] : [])
    .map((key) => ({ key: plainKey(key), attribute, role, needs }))
}

function keysIn({ reads, attribute }: Input, text: string | undefined, attributes: Attributes): string[] {
  if (text === undefined || text === '') return []
  switch (reads) {
    case 'key':
      return [text]
    case 'keys':
      return listOf(attributes, attribute)
    case 'prompt':
      return text.includes('$') ? keysMatching(PROMPT_KEY, text) : []
    case 'template':
      return keysMatching(TEMPLATE_KEY, text)
    case 'command':
      return keysMatching(ENVIRONMENT_KEY, text)
    default:
      return []
  }
}

function keysMatching(pattern: RegExp, text: string): string[] {
  return [...new Set(Array.from(text.matchAll(pattern), ([, key = '']) => key.trim()))]
}
