import { z } from 'zod'
import { once } from '../../../text/index.ts'
import { GUARD_FORMS } from '../guards/guard-forms.ts'

/**
 * The schema of a workflow file, the only source of its rules (reference workflow 11). The loader and the serializer check
 * against it, and the published JSON Schema is generated from it.
 */
export const workflowFile = once(() => {
  const text = z.string()
  const free = z.looseObject({})
  return z.strictObject({
    $schema: text.optional().describe('The schema of this file, for editors'),
    id: text.describe('The name by which it is registered and invoked'),
    version: z
      .string()
      .regex(/^[^@\s]+$/)
      .optional()
      .describe('The version that a call names as id@version'),
    entry: text.describe('The node at which it starts'),
    nodes: z.record(text, nodeSchema()).describe('The nodes, by id'),
    edges: z.array(edgeSchema()).describe('The edges between nodes; they must not form a cycle'),
    board: z.record(text, free).optional().describe('The JSON Schemas of the board keys'),
    metadata: free.optional().describe('Further data; Reflex does not read it'),
  })
})

function nodeSchema(): z.ZodObject {
  const text = z.string()
  const input = z.strictObject({
    key: text.describe('The blackboard key that the node reads'),
    required: z.boolean().describe('True if the node fails without it'),
    inherited: z.boolean().optional().describe('True if a caller or a seed provides it'),
    description: text.optional(),
  })

  const output = z.strictObject({
    key: text.describe('The blackboard key that the node writes'),
    guaranteed: z.boolean().describe('True if the node always writes it'),
    description: text.optional(),
  })

  const invocation = z.strictObject({
    workflowId: text.describe('The workflow that the node calls when it is entered'),
    returnMap: z
      .array(
        z.strictObject({
          parentKey: text.describe('The key of the caller that gets the value'),
          childKey: text.describe('The key of the child that has the value'),
        }),
      )
      .describe('The values that the child returns to the caller'),
    inputMap: z
      .array(
        z.strictObject({
          from: text.describe('The key from which the caller reads the value'),
          to: text.describe('The key of the child that gets the value'),
        }),
      )
      .optional()
      .describe('The values that the child starts with'),
  })

  return z.strictObject({
    id: text.describe('The same as the key of the node'),
    spec: z.looseObject({}).describe('Data for the agent of the node; Reflex does not read it'),
    description: text.optional(),
    invokes: invocation.optional().describe('Makes the node a call of another workflow'),
    inputs: z.array(input).optional().describe('Declares what the node reads'),
    outputs: z.array(output).optional().describe('Declares what the node writes'),
  })
}

function edgeSchema(): z.ZodObject {
  const text = z.string()
  const guard = z.discriminatedUnion('type', [
    GUARD_FORMS.exists.schema(),
    ...Object.values(GUARD_FORMS)
      .map(({ schema }) => schema())
      .filter((schema) => schema !== GUARD_FORMS.exists.schema()),
  ])
  return z.strictObject({
    id: text.describe('The name by which a decision takes the edge'),
    from: text.describe('The node that it leaves'),
    to: text.describe('The node that it leads to'),
    event: text.describe('The event that taking the edge means, such as NEXT'),
    guard: guard.optional().describe('The condition under which the edge is open; without a guard it is always open'),
  })
}
