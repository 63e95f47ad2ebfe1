import type { Dialect } from '../../../src/wrap/dialects/contract.ts'
import type { Fields } from '../../../src/wrap/dialects/loose.ts'

export interface SaidCall {
  readonly id: string
  readonly name: string
  readonly args: string
}

/** A text or a call of a reply. */
export type Said = string | SaidCall

/** A message as no dialect says it. */
export type Message =
  | { readonly user: string }
  | { readonly assistant: readonly Said[] }
  | { readonly tool: string; readonly name: string; readonly value: string }
  | { readonly thought: string }

/** How a dialect says conversations, replies and streams, for tests of all of them. Each call of a model has 10 tokens in, 2 of them cached, and 5 out. */
export interface Fixture {
  readonly dialect: Dialect
  readonly request: (messages: readonly Message[], system?: string) => Fields
  readonly response: (said: readonly Said[]) => Fields
  /** The chunks of a reply, its texts in pieces of a size. */
  readonly chunks: (said: readonly Said[], size: number) => readonly Fields[]
  /** The reply that chunks add up to, as a framework builds it. */
  readonly joined: (chunks: readonly Fields[]) => Fields
}

/** The tool of the agent. */
export const TOOL = { name: 'search', description: 'Searches.', parameters: { type: 'object', properties: { q: { type: 'string' } } } }

/** Fields of a request that no id and no record may have. */
export const NOISE = { headers: { authorization: 'secret' }, signal: new AbortController().signal }

/** A text in pieces of a size. */
export function pieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))
}

/** The texts of a reply as one. */
export function textsOf(said: readonly Said[]): string {
  return said.filter((part) => typeof part === 'string').join('')
}

/** The calls of a reply. */
export function callsOf(said: readonly Said[]): SaidCall[] {
  return said.filter((part) => typeof part !== 'string')
}

export function parsed(text: string): unknown {
  return JSON.parse(text === '' ? '{}' : text) as unknown
}
