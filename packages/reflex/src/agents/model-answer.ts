import { isObject, type Json, type JsonObject } from '../kernel/index.ts'
import type { ModelReply, ModelRequest } from '../models/index.ts'
import { schemaSource } from '../kinds/workflow/model/board-schemas/board-schemas.ts'
import type { Edge, Workflow } from '../kinds/workflow/index.ts'
import { edgesNamed, edgeName } from './edges.ts'
import type { Draft } from './lookup.ts'
import type { ModelSpec } from './spec.ts'

/** The answer that a model must give at a node, and its application. */
export interface AnswerForm {
  /** The schema of the answer. Absent for plain text. */
  readonly output: ModelRequest['output']
  /** Writes the values of the answer. Returns the edge that it chose, and the reason. */
  apply(reply: ModelReply, draft: Draft): { readonly edge: Edge | undefined; readonly because: string | undefined }
}

/**
 * Returns the form of the answer: the choice among open edges, the reason, and a value for each key to write. A closed edge is
 * not among the choices of the form. A single text for one key, at a node with at most one open edge, is requested as plain
 * text.
 */
export function answerForm(writes: ModelSpec['writes'], workflow: Workflow, edges: readonly Edge[]): AnswerForm {
  const schemas = schemasOf(writes, workflow)
  const [only] = edges
  if (edges.length < 2 && typeof writes === 'string' && isText(schemas[writes])) {
    return {
      output: undefined,
      apply(reply, draft) {
        draft.write(writes, reply.text)
        return { edge: only, because: undefined }
      },
    }
  }
  const choice = edges.length < 2 ? {} : { edge: { type: 'string', enum: edges.map((edge) => edgeName(edge, edges)) }, because: REASON }
  const values = Object.keys(schemas).length === 0 ? {} : { writes: objectSchema(schemas) }
  return {
    output: { name: 'decision', schema: objectSchema({ ...choice, ...values }) },
    apply(reply, draft) {
      const answer = isObject(reply.object) ? reply.object : {}
      const writtenValues = isObject(answer.writes) ? answer.writes : {}
      for (const [key, value] of Object.entries(writtenValues)) if (Object.hasOwn(schemas, key)) draft.write(key, value)
      const [edge] = edges.length < 2 ? [only] : edgesNamed(typeof answer.edge === 'string' ? answer.edge : '', edges)
      return { edge, because: typeof answer.because === 'string' ? answer.because : undefined }
    },
  }
}

const REASON: JsonObject = { type: 'string', description: 'Why, in one short sentence' }

/** Returns a schema for each key to write: the node's own, else the board's, else text. */
function schemasOf(writes: ModelSpec['writes'], { board = {} }: Workflow): Readonly<Record<string, JsonObject>> {
  if (writes === undefined) return {}
  if (typeof writes !== 'string') return writes
  const declared = Object.hasOwn(board, writes) ? board[writes] : undefined
  const source = declared === undefined ? undefined : schemaSource(declared)
  // The board checks rules that JSON Schema cannot express when the value is written.
  return { [writes]: source !== undefined && 'schema' in source ? source.schema : { type: 'string' } }
}

function isText(schema: JsonObject | undefined): boolean {
  return schema?.type === 'string' && Object.keys(schema).every((key) => ['type', 'description', 'title'].includes(key))
}

/** Returns the schema of an object that has these keys and no others. */
export function objectSchema(properties: Readonly<Record<string, Json>>): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}
