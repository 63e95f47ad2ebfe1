import { z } from 'zod'
import { JSON_VALUE } from '../routes/parts.ts'

/** The body that `DefaultChatTransport` of the AI SDK sends, with the fields of its option `body`. */
export const CHAT_REQUEST = z.strictObject({
  id: z.string().min(1).max(200).describe('The chat, which is the name of its run'),
  messages: z
    .array(
      z.looseObject({
        id: z.string().min(1).max(200).describe('A message with the same id is the same message'),
        role: z.enum(['system', 'user', 'assistant']),
        parts: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
      }),
    )
    .min(1),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z.string().optional(),
  program: z.string().max(500).optional().describe('kind:name of the program that the first message starts'),
  input: z.record(z.string(), JSON_VALUE).optional().describe('Further input of the program'),
  as: z.string().min(1).max(200).default('message').describe('The input that gets the text of the first message'),
  topic: z.string().min(1).max(500).optional().describe('The topic of later messages, for a run that waits for several'),
})
