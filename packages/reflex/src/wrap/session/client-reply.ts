import { type Fields, fieldsOf } from '../dialects/loose.ts'

/** What a client says of an HTTP response beside its data. */
export interface ResponseFacts {
  readonly response: Response
  readonly [fact: string]: unknown
}

/** The method by which helpers of the clients change a reply. */
const UNWRAP = '_thenUnwrap'

/** The promise of a reply as the clients of OpenAI and Anthropic give it. */
export interface ClientReply<Data> extends Promise<Data> {
  /** Returns the reply with the facts of its HTTP response. */
  withResponse(): Promise<ResponseFacts & { readonly data: Data }>
  /** Returns the reply as an HTTP response that the agent reads by itself. */
  asResponse(): Promise<Response>
  parse(): Promise<Data>
  /** Changes the reply, with the facts of its request, as helpers of the clients do. */
  [UNWRAP]<Changed>(change: (data: Data, props: Fields) => Changed): ClientReply<Changed>
}

/** The parts of a promise of a client. */
export interface ClientReplyParts<Data> {
  readonly data: Promise<Data>
  /** Returns the facts of the response, once the data are there. */
  readonly facts: () => ResponseFacts
  readonly props: () => Fields
  /** Returns the body of a response that an agent reads by itself. */
  readonly body: (data: Data) => string | ReadableStream<Uint8Array>
}

/** Returns a promise with what those of the clients have. */
export function clientReply<Data>({ data, facts, props, body }: ClientReplyParts<Data>): ClientReply<Data> {
  const methods = {
    withResponse: async () => {
      const read = await data
      return { ...facts(), data: read }
    },
    asResponse: async () => {
      const read = await data
      const { status, statusText, headers } = facts().response
      return new Response(body(read), { status, statusText, headers: plainHeaders(headers) })
    },
    parse: () => data,
    [UNWRAP]: <Changed>(change: (value: Data, props: Fields) => Changed) =>
      clientReply<Changed>({ data: data.then((value) => change(value, props())), facts, props, body: body as never }),
  }
  return Object.assign(
    data.then((value) => value),
    methods,
  ) as ClientReply<Data>
}

/** Headers that are true of the bytes of the network alone. */
const OF_BYTES = ['content-length', 'content-encoding', 'transfer-encoding']

function plainHeaders(given: Headers): Headers {
  const headers = new Headers(given)
  for (const name of OF_BYTES) headers.delete(name)
  return headers
}

/** A call of a client: what it told of its first response. */
export class ClientCall {
  readonly #options: unknown
  #facts: ResponseFacts | undefined
  #props: Fields | undefined

  /** `options`: those of the call, for the helpers of the client. */
  constructor(options: unknown) {
    this.#options = options
  }

  /** Waits for what a client gives, and keeps the facts of its response. */
  async take(given: unknown): Promise<unknown> {
    const promise = fieldsOf(given) as Partial<ClientReply<unknown>>
    if (typeof promise.withResponse !== 'function') return given
    const unwrapped =
      promise[UNWRAP]?.((value, props) => {
        this.#props ??= props
        return value
      }) ?? promise
    const { data, ...facts } = (await unwrapped.withResponse?.()) ?? {}
    this.#facts ??= facts as ResponseFacts
    return data
  }

  /** The facts of the response; of one that comes from the record, only that it was good. */
  readonly facts = (): ResponseFacts => this.#facts ?? { response: new Response(null, { status: 200 }), request_id: null }

  readonly props = (): Fields => this.#props ?? { response: this.facts().response, options: fieldsOf(this.#options) }
}
