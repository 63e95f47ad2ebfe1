import type { Reflex } from '../../app/reflex.ts'
import type { JsonObject } from '../../kernel/index.ts'
import type { Scope } from '../../programs/route.ts'
import { textOf } from '../../protocol/plain.ts'
import { traceDocument } from '../../protocol/view-document.ts'
import { resultOf, untilRest } from './call.ts'
import type { ClientRuns } from './client-runs.ts'
import { callSchema } from './program-tools.ts'
import type { McpContext } from './library.ts'

/** A tool for runs. */
export interface OwnTool {
  readonly about: string
  readonly input: JsonObject
  readonly output?: JsonObject
  readonly isReadOnly: boolean
  /** The scope that a token needs for it. */
  readonly scope: Scope
  call(input: JsonObject, connection: Connection): Promise<object>
}

/** The client of a request, and its runs. */
export interface Connection {
  readonly reflex: Reflex
  readonly runs: ClientRuns
  readonly context: McpContext
  readonly canElicit: boolean
}

const RUN = { type: 'string', description: 'The name of a run that this client started' }
const schemaOf = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** The tools besides the programs. Their names cannot be those of programs. */
export const OWN_TOOLS: Readonly<Record<string, OwnTool>> = {
  answer: {
    about: 'Answers an open question of a run, and returns the run when it rests again.',
    input: schemaOf(
      {
        run: RUN,
        question: { type: 'string', description: 'q1; needed if the run has several' },
        value: { description: 'The answer' },
        reason: { type: 'string', maxLength: 10_000, description: 'The reason for the answer, for the journal' },
      },
      ['run', 'value'],
    ),
    output: callSchema({}),
    isReadOnly: false,
    scope: 'answer',
    async call({ run, question, value, reason }, { reflex, runs, context }) {
      const { id } = await runs.find(textOf(run))
      const name = question === undefined ? undefined : textOf(question)
      await runs.answer(
        id,
        name?.startsWith(`${id}/`) === true ? name.slice(id.length + 1) : name,
        value,
        typeof reason === 'string' ? reason : undefined,
      )
      await untilRest(reflex, id, context.mcpReq.signal)
      return resultOf(await runs.document(id))
    },
  },
  status: {
    about: 'Returns the state of a run: its result, its failure, or its open questions.',
    input: schemaOf({ run: RUN }, ['run']),
    output: callSchema({}),
    isReadOnly: true,
    scope: 'read',
    async call({ run }, { runs }) {
      const { id } = await runs.find(textOf(run))
      return { ...resultOf(await runs.document(id)), isError: false }
    },
  },
  trace: {
    about: 'Returns the story of a run, record by record: what was done, decided, asked and answered.',
    input: schemaOf({ run: RUN, tail: { type: 'integer', minimum: 1, maximum: 10_000, description: 'Only the last records' } }, ['run']),
    isReadOnly: true,
    scope: 'read',
    async call({ run, tail }, { reflex, runs }) {
      const { id } = await runs.find(textOf(run))
      const traced = await reflex.trace(id, typeof tail === 'number' ? { tail } : {})
      return resultOf(traceDocument(traced, false))
    },
  },
}
