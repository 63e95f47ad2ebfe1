import { readdirSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { ReplyOutcome } from '../../../../src/kinds/skill/model/protocol.ts'

const FOLDER = resolve(import.meta.dirname, '../../../../../../cases/skill/protocol')

/** A reply of a model and what must come of it; what is absent must not be there. */
export interface Sample {
  readonly name: string
  readonly reply: string
  readonly expect: {
    readonly visible: string
    readonly proposals?: readonly string[]
    readonly questions?: number
    readonly rejected?: readonly string[]
    readonly malformed?: boolean
    readonly notes?: readonly string[]
  }
}

/** The replies of cases/skill/protocol, with the name of their file. */
export const SAMPLES: readonly (Sample & { readonly file: string })[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .toSorted()
  .flatMap((name) =>
    (JSON.parse(readFileSync(resolve(FOLDER, name), 'utf8')) as Sample[]).map((sample) => ({ ...sample, file: basename(name, '.json') })),
  )

/** The parts of an outcome that a sample states, in its form. */
export function summaryOf(outcome: ReplyOutcome): Required<Sample['expect']> {
  return {
    visible: outcome.visible,
    proposals: outcome.proposals.map(({ skill_ref }) => skill_ref),
    questions: outcome.clarification?.questions.length ?? 0,
    rejected: outcome.rejections.map(({ reason }) => reason),
    malformed: outcome.malformed,
    notes: outcome.notes.map(({ kind }) => kind),
  }
}

/** What a sample states, with what it leaves out. */
export function expectedOf({ expect }: Sample): Required<Sample['expect']> {
  return { proposals: [], questions: 0, rejected: [], malformed: false, notes: [], ...expect }
}
