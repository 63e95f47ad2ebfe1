import { z } from 'zod'
import { once } from '../../text/index.ts'
import { GUARD_FORMS } from './guard-forms.ts'

/**
 * A workflow as it stands in a file: the one source of what is allowed there (reference workflow 11).
 * The loader and the serializer check against it, and the published JSON Schema is made from it.
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
    edges: z.array(edgeSchema()).describe('The ways between nodes; they must not form a circle'),
    board: z.record(text, free).optional().describe('What the keys of the board hold, each as a JSON Schema'),
    metadata: free.optional().describe('Whatever else belongs to it; Reflex does not read it'),
  })
})

function nodeSchema(): z.ZodObject {
  const text = z.string()
  const input = z.strictObject({
    key: text.describe('The blackboard key that the node reads'),
    required: z.boolean().describe('Whether the node cannot do without it'),
    inherited: z.boolean().optional().describe('Whether a caller or a seed provides it'),
    description: text.optional(),
  })

  const output = z.strictObject({
    key: text.describe('The blackboard key that the node writes'),
    guaranteed: z.boolean().describe('Whether the node writes it each time'),
    description: text.optional(),
  })

  const invocation = z.strictObject({
    workflowId: text.describe('The workflow that entering the node starts'),
    returnMap: z
      .array(z.strictObject({ parentKey: text.describe('Where the value goes'), childKey: text.describe('Where the child has it') }))
      .describe('The values of the child that the caller gets'),
    inputMap: z
      .array(z.strictObject({ from: text.describe('Where the caller can read the value'), to: text.describe('Where the child finds it') }))
      .optional()
      .describe('The values that the child starts with'),
  })

  return z.strictObject({
    id: text.describe('The same as the key of the node'),
    spec: z.looseObject({}).describe('Whatever those who decide here need; Reflex does not read it'),
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
    event: text.describe('What taking it means, such as NEXT'),
    guard: guard.optional().describe('When the edge is open; without a guard it always is'),
  })
}
