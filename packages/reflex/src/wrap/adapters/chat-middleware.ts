import { fieldsOf, listOf } from '../dialects/loose.ts'
import { messageMaker } from './chat-messages.ts'
import { chatModelsOf, isWrappedChatModel, wrapChatModel } from './chat-models.ts'
import { wrapChatTool } from './chat-tools.ts'
import type { DeclareTool } from './contract.ts'
import { isWrapper } from './functions.ts'

/**
 * A middleware of `createAgent`. It replaces the functions of the model and of the tools in place when an agent first uses them: a
 * `wrapToolCall` would make LangChain throw the errors of tools that it otherwise gives to the model.
 */
export interface ChatMiddleware {
  readonly name: string
  wrapModelCall<Request extends object, Reply>(request: Request, handler: (request: Request) => Reply): Reply
}

const NAME = 'reflex'

export function isChatMiddleware(given: unknown): boolean {
  return MIDDLEWARE.has(fieldsOf(given))
}

const MIDDLEWARE = new WeakSet<object>()

export function chatMiddleware(declare: DeclareTool): ChatMiddleware {
  const middleware: ChatMiddleware = {
    name: NAME,
    wrapModelCall(request, handler) {
      const { model, tools } = fieldsOf(request)
      if (!isWrappedChatModel(model)) wrapChatModel(model, 'model')
      const [first] = chatModelsOf(model)
      const messages = (): ReturnType<typeof messageMaker> => (first === undefined ? undefined : messageMaker(first))
      for (const tool of listOf(tools)) {
        if (!isWrapper(fieldsOf(tool)['invoke'])) wrapChatTool(tool, { messages, declare, note: () => undefined })
      }
      return handler(request)
    },
  }
  MIDDLEWARE.add(middleware)
  return middleware
}
