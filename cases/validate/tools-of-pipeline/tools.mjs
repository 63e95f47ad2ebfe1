import { defineTool } from 'reflex-runtime/tools'
import { z } from 'zod'

export const send = defineTool({
  name: 'mail.send',
  description: 'Sends a letter',
  leaves: true,
  repeat: 'keyed',
  input: z.object({ to: z.string(), text: z.string(), copies: z.int().max(3).optional() }),
  run: () => null,
})
