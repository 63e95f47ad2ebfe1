import { type ChildProcess, fork } from 'node:child_process'
import type { Order } from './orders.ts'

/** A server in its own process, which performs orders. */
export class ServerProcess {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #orders = 0
  url = ''
  token = ''

  private constructor(child: ChildProcess) {
    this.#child = child
    child.on('message', ({ id, result, failure }: { readonly id: number; readonly result?: unknown; readonly failure?: string }) => {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (failure === undefined) waiting?.resolve(result)
      else waiting?.reject(new Error(failure))
    })
    child.on('exit', (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the server ended with ${code}`))
    })
  }

  /** Starts a module of this folder as a server. Options of Node, such as `--cpu-prof`, are passed on. */
  static async start(module: 'own.ts' | 'floor.ts', folder: string): Promise<ServerProcess> {
    const server = new ServerProcess(fork(new URL(module, import.meta.url), [folder], { cwd: folder }))
    const { url, token } = (await server.#result(0)) as { readonly url: string; readonly token: string }
    server.url = url
    server.token = token
    return server
  }

  /** Gives an order, and returns its result. */
  async order<Result>(order: Order): Promise<Result> {
    const id = ++this.#orders
    const result = this.#result(id)
    this.#child.send({ id, order })
    return (await result) as Result
  }

  async stop(): Promise<void> {
    const ended = new Promise<void>((resolve) => void this.#child.once('exit', () => resolve()))
    await this.order({ do: 'stop' })
    await ended
  }

  #result(id: number): Promise<unknown> {
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(id, waiting)
    return waiting.promise
  }
}
