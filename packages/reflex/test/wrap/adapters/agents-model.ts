import { type Model, type ModelProvider, type ModelRequest, type ModelResponse, type StreamEvent, Usage } from '@openai/agents'

import type { Answer, Said } from './script.ts'

/** A model of the OpenAI Agents SDK that replies what a script says, and keeps what it was asked. */
export class ScriptedAgentsModel implements Model {
  readonly requests: ModelRequest[] = []
  readonly #answer: Answer

  constructor(answer: Answer) {
    this.#answer = answer
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    const { output, usage } = await this.#next(request)
    return { output, usage }
  }

  async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
    const { said, ...response } = await this.#next(request)
    yield { type: 'response_started' }
    for (const text of said)
      if (typeof text === 'string') for (const delta of text.match(/.{1,5}/gs) ?? []) yield { type: 'output_text_delta', delta }
    yield { type: 'response_done', response: { id: '', ...response } }
  }

  /** A provider that has this model under every name. */
  get provider(): ModelProvider {
    return { getModel: () => this }
  }

  async #next(request: ModelRequest): Promise<Reply> {
    this.requests.push({ ...request, input: structuredClone(request.input) })
    const n = this.requests.length
    const { input } = request
    const said = await this.#answer(JSON.stringify(typeof input === 'string' ? input : input.at(-1)), n)
    const output = said.map((each, i) => item(each, `c${n}-${i}`))
    return { usage: new Usage({ inputTokens: 10, outputTokens: 5, totalTokens: 15 }), output, said }
  }
}

interface Reply {
  readonly usage: Usage
  readonly output: Item[]
  readonly said: readonly Said[]
}

/** What both forms of a reply may have. */
type Item = Extract<StreamEvent, { type: 'response_done' }>['response']['output'][number]

function item(said: Said, callId: string): Item {
  if (typeof said !== 'string')
    return { type: 'function_call', callId, name: said.call, status: 'completed', arguments: JSON.stringify(said.args) }
  return { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: said }] }
}
