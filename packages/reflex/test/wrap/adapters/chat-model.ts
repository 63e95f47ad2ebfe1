import { BaseChatModel, type BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import type { Runnable } from '@langchain/core/runnables'

import type { Answer } from './script.ts'

export interface ChatScript {
  readonly answer: Answer
  readonly requests: BaseMessage[][]
  readonly tools: unknown[]
}

const usage_metadata = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }

/** A chat model of LangChain that replies what a script says, and keeps what it was asked. */
export class ScriptedChatModel extends BaseChatModel {
  readonly script: ChatScript
  /** Private, as models have their state. */
  readonly #script: ChatScript

  constructor(answer: Answer) {
    super({})
    this.script = { answer, requests: [], tools: [] }
    this.#script = this.script
  }

  _llmType(): string {
    return 'scripted'
  }

  override bindTools(tools: BindToolsInput[]): Runnable {
    return this.withConfig({ tools: tools.map(described) } as object)
  }

  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const { text, tool_calls } = await this.#next(messages, options)
    const message = Object.assign(new AIMessage({ content: text, tool_calls }), {
      usage_metadata,
      response_metadata: { finish_reason: 'stop' },
    })
    return { generations: [{ text, message }], llmOutput: {} }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const { text, tool_calls } = await this.#next(messages, options)
    const chunks = [
      ...(text.match(/.{1,5}/gs) ?? []).map((content) => ({ content })),
      ...tool_calls.map(({ id, name, args }, index) => ({
        content: '',
        tool_call_chunks: [{ type: 'tool_call_chunk' as const, id, name, args: JSON.stringify(args), index }],
      })),
      { content: '', last: usage_metadata },
    ]
    for (const { last, ...fields } of chunks as readonly { content: string; last?: typeof usage_metadata }[]) {
      const message = Object.assign(new AIMessageChunk(fields), last === undefined ? {} : { usage_metadata: last })
      const chunk = new ChatGenerationChunk({ text: fields.content, message })
      yield chunk
      await runManager?.handleLLMNewToken(fields.content, undefined, undefined, undefined, undefined, { chunk })
    }
  }

  async #next(messages: BaseMessage[], options: object): Promise<Reply> {
    const { answer, requests, tools } = this.#script
    requests.push([...messages])
    tools.push((options as { readonly tools?: unknown }).tools)
    const n = requests.length
    const said = await answer(messages.at(-1)?.text ?? '', n)
    return {
      text: said.filter((each) => typeof each === 'string').join(''),
      tool_calls: said.flatMap((each, i) =>
        typeof each === 'string' ? [] : [{ type: 'tool_call' as const, id: `c${n}-${i}`, name: each.call, args: { ...each.args } }],
      ),
    }
  }
}

interface Reply {
  readonly text: string
  readonly tool_calls: { type: 'tool_call'; id: string; name: string; args: Record<string, unknown> }[]
}

function described(tool: BindToolsInput): object {
  const { name, description } = tool as { readonly name: string; readonly description?: string }
  return { type: 'function', function: { name, description, parameters: { type: 'object' } } }
}

/** A model that makes another one of itself when it is configured, as the one of OpenAI does. */
export class CopyingChatModel extends ScriptedChatModel {
  override bindTools(tools: BindToolsInput[]): Runnable {
    const copy = new CopyingChatModel(this.script.answer)
    Object.assign(copy.script, { requests: this.script.requests, tools: this.script.tools })
    return copy.withConfig({ tools: tools.map(described) } as object)
  }
}
