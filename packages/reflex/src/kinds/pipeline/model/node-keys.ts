import { type Attributes, listOf, textOf } from '../dot/graph.ts'
import { inputsOf, type OperationFacts, outputsOf } from './operation-facts.ts'
import type { Input, Origin, Output, Role, Safety } from './operation-ports.ts'

/** The parts of a node that determine its reads and writes. */
export interface KeyedNode {
  readonly id: string
  readonly facts: OperationFacts
  readonly attributes: Attributes
}

/** A context value that a node reads. */
export interface KeyRead {
  readonly key: string
  /** The attribute that names it; empty if the operation itself does. */
  readonly attribute: string
  readonly role: Role
  readonly needs: Safety | undefined
}

/** A context value that a node writes. A key that ends in a dot is a prefix. */
export interface KeyWrite {
  readonly key: string
  readonly origin: Origin
}

const PROMPT_KEY = /\$([A-Za-z_]\w*(?:\.\w+)*)/g
const TEMPLATE_KEY = /\{ctx\.([^{}]+)\}/g
const ENVIRONMENT_KEY = /\$\{?([A-Za-z_]\w*)/g

/** Returns the context values that a node reads according to its attributes (reference pipeline 5.3, declared inputs). */
export function readsOf({ id, facts, attributes }: KeyedNode): KeyRead[] {
  const reads: KeyRead[] = []
  for (const input of inputsOf(facts, attributes)) {
    if (input.usual !== undefined || attributes.has(input.attribute)) reads.push(...readsOfInput(input, attributes, id))
  }
  return reads
}

/** Returns the context values that a node writes. */
export function writesOf({ id, facts, attributes }: KeyedNode): KeyWrite[] {
  const writes: KeyWrite[] = []
  for (const output of outputsOf(facts, attributes)) {
    const key = keyOf(output, attributes, id)
    if (key !== '') writes.push({ key, origin: output.origin })
  }
  return writes
}

/** Returns the key of an output of a node; empty if neither the node nor the output names one. */
export function keyOf({ key = '', attribute, isPrefix }: Output, attributes: Attributes, id: string): string {
  const written = attribute === undefined ? undefined : textOf(attributes, attribute)?.trim()
  if (!written) return key.replace('<id>', () => id)
  return plainKey(isPrefix === true && !written.endsWith('.') ? `${written}.` : written)
}

/** Returns a key without the prefix `context.`, which has no meaning. */
export function plainKey(key: string): string {
  return key.startsWith('context.') ? key.slice('context.'.length) : key
}

function readsOfInput(input: Input, attributes: Attributes, id: string): KeyRead[] {
  const { attribute, reads, role, needs, usual } = input
  const text = attribute === '' || reads === 'context' ? undefined : textOf(attributes, attribute)?.trim()
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
