import type { JsonObject } from '../../../../src/kernel/index.ts'
import type { ScriptedReply } from '../../../../src/models/index.ts'
import type { PartialReply } from '../../../../src/models/request.ts'
import type { RunLimits, Trust } from '../../../../src/policy/index.ts'
import { type Case, casesOf } from '../../../cases.ts'

/**
 * By what it shows that an attack has succeeded: a file outside the run, a request to the server of the test, words that a
 * model was told or a record holds, a value of the context, a node that was executed, a run that ended well.
 */
export interface Sign {
  /** Below the ground of the attack, such as `outside/taken.txt`; with `holds`, a file that has these words. */
  readonly file?: string
  readonly holds?: string
  /** Milliseconds until it is looked for: a process that outlives its command takes its time. */
  readonly after?: number
  readonly reached?: string
  readonly told?: string
  readonly recorded?: string
  readonly value?: { readonly key: string; readonly holds: string }
  readonly executed?: string
  readonly ended?: 'done'
}

/** What whoever runs the program is told of a refusal. */
export interface Told {
  /** `refused`: the run does not begin. */
  readonly status: 'refused' | 'failed' | 'done' | 'suspended'
  /** The code of the fault that the run ends with, or that refuses it. */
  readonly code?: string
  /** Words of that fault, of a remark, or of a value that the run wrote. */
  readonly says: string
  /** The type of the remark in which the words stand. */
  readonly remark?: string
}

/** The facts of `attack.json`. */
interface Facts {
  readonly tries: string
  readonly sign: Sign
  /** The name of what stops it, in `protections.ts`. Several, where one stands behind the other: it succeeds once all of them are gone. */
  readonly guard: string | readonly string[]
  readonly told: Told
  readonly trust?: Trust
  readonly allow?: readonly string[]
  readonly ask?: readonly string[]
  readonly limits?: RunLimits
  /** Of whoever starts the run; commands see a part of it. */
  readonly environment?: Readonly<Record<string, string>>
  /** A program of the work folder that is run after the attack, with the same store; the sign is then that of its run. */
  readonly afterwards?: string
  /** The secret by which checkpoints are signed. */
  readonly hmac?: string
  /** What agents remember: by agent, texts. */
  readonly memories?: Readonly<Record<string, readonly string[]>>
  /** Commands of it must be confined: skipped where no sandbox can be made. */
  readonly sandbox?: boolean
}

/** A folder of `cases/attacks`. */
export interface Attack extends Facts {
  readonly name: string
  readonly it: Case
  /** Fills in `{{work}}`, `{{outside}}` and `{{server}}`. */
  values(fill: Fill): JsonObject
  replies(fill: Fill): AttackReply[]
}

/** A reply of the model; `pieces` are what comes of it as a stream. */
type AttackReply = ScriptedReply | (PartialReply & { readonly pieces: readonly string[] })

export type Fill = (text: string) => string

export function attacks(): Attack[] {
  return casesOf('attacks')
    .filter(({ name }) => !name.startsWith('skill-'))
    .map((it) => {
      const facts = it.json('attack.json') as Facts
      return {
        ...facts,
        name: it.name,
        it,
        values: (fill) => (it.has('values.json') ? (JSON.parse(fill(it.text('values.json'))) as JsonObject) : {}),
        replies: (fill) => linesOf(it).map((line) => JSON.parse(fill(line)) as AttackReply),
      }
    })
}

function linesOf(it: Case): string[] {
  return it.has('replies.jsonl')
    ? it
        .text('replies.jsonl')
        .split('\n')
        .filter((line) => line.trim() !== '')
    : []
}
