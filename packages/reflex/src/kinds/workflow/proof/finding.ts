import { type AttributePart, type Path, type TextSpan, quote } from '../../../text/index.ts'
import type { VerificationWarningCode } from '../types.ts'
import type { JsonObject } from '../../../kernel/journal/json.ts'
import type { Trail } from './search.ts'
import type { Layout } from './layout.ts'

/** Something that a proof has found, before it has a place in a file. */
export interface Finding {
  readonly rule: VerificationWarningCode
  readonly nodeId: string
  /** The board key that it is about; empty where it is about none. */
  readonly key: string
  readonly message: string
  readonly path: Path
  readonly part?: AttributePart | undefined
  /** The stretch of the text there that is meant. */
  readonly within?: TextSpan | undefined
  readonly note?: string | undefined
  readonly fix: string
  /** What was meant, where something like it is known. */
  readonly guess?: (() => string | undefined) | undefined
  readonly data?: JsonObject
  /** Some paths satisfy it and others do not. */
  readonly onSomePaths?: true
  /** `validateWorkflow` finds it as well. */
  readonly structural?: true
}

/** A node whose edges nobody can decide beforehand, and why. */
export interface Undecidable {
  readonly nodeId: string
  readonly why: string
}

const MOST_SHOWN = 6

/** A way through a workflow for people: `"read" → "verify" → "decide"`. */
export function trailText(layout: Layout, trail: Trail): string {
  const ids: string[] = []
  for (let at: Trail | undefined = trail; at !== undefined; at = at.before) ids.push(quote(layout.nodes[at.place]?.id ?? ''))
  ids.reverse()
  const half = MOST_SHOWN / 2
  return (ids.length <= MOST_SHOWN ? ids : [...ids.slice(0, half), `${ids.length - MOST_SHOWN} more`, ...ids.slice(-half)]).join(' → ')
}
