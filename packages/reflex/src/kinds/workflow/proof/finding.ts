import { type AttributePart, type Path, type TextSpan, quote } from '../../../text/index.ts'
import type { VerificationWarningCode } from '../types/index.ts'
import type { JsonObject } from '../../../kernel/index.ts'
import type { Trail } from './search.ts'
import type { Layout } from './layout.ts'

/** A finding of a proof, before it has a place in a file. */
export interface Finding {
  readonly rule: VerificationWarningCode
  readonly nodeId: string
  /** The board key of the finding; empty if there is none. */
  readonly key: string
  readonly message: string
  readonly path: Path
  readonly part?: AttributePart | undefined
  /** The span in the text at the path. */
  readonly within?: TextSpan | undefined
  readonly note?: string | undefined
  readonly fix: string
  /** Returns the intended name, if a similar one is known. */
  readonly guess?: (() => string | undefined) | undefined
  readonly data?: JsonObject
  /** Set if some paths satisfy the check and others do not. */
  readonly onSomePaths?: true
  /** Set if `validateWorkflow` finds the same mistake. */
  readonly structural?: true
}

/** A node whose edges cannot be decided before a run, with the reason. */
export interface Undecidable {
  readonly nodeId: string
  readonly why: string
}

const MOST_SHOWN = 6

/** Returns a path through a workflow in words: `"read" → "verify" → "decide"`. */
export function trailText(layout: Layout, trail: Trail): string {
  const ids: string[] = []
  for (let at: Trail | undefined = trail; at !== undefined; at = at.before) ids.push(quote(layout.nodes[at.place]?.id ?? ''))
  ids.reverse()
  const half = MOST_SHOWN / 2
  return (ids.length <= MOST_SHOWN ? ids : [...ids.slice(0, half), `${ids.length - MOST_SHOWN} more`, ...ids.slice(-half)]).join(' → ')
}
