import { z } from 'zod'
import type { JsonObject } from '../../../kernel/index.ts'
import { workflowFile } from './file-schema.ts'

/** The JSON Schema (draft-07) of a workflow file, for editors and other languages. */
export const workflowSchema: JsonObject = makeSchema()

function makeSchema(): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(workflowFile(), { target: 'draft-07', io: 'input' }) as JsonObject
  return { ...($schema === undefined ? {} : { $schema }), $id: 'urn:reflex:workflow', title: 'Reflex workflow', ...rest }
}
