import { type MessagePort, receiveMessageOnPort, parentPort, workerData } from 'node:worker_threads'
import type { Json } from '../../../../kernel/index.ts'
import type { LuaAnswer } from './call.ts'
import { Loader } from './load-file.ts'
import type { LuaJob, ReadAnswer, WorkerMessage, WorkerStart } from './messages.ts'
import { checkTexts, runScript } from './run-script.ts'
import { Sandbox } from './sandbox.ts'

/** The program of a worker: it makes its memory image once, and then runs one call after the other. It imports nothing of the runtime but types. */
function serve(port: MessagePort, start: WorkerStart): void {
  const bell = new Int32Array(start.bell)
  const send = (message: WorkerMessage): void => port.postMessage(message)
  // Waits for the host, which sends the value and then rings.
  const read = (key: string): Json | undefined => {
    Atomics.store(bell, 0, 0)
    send({ kind: 'ask', key })
    Atomics.wait(bell, 0, 0)
    const answer = receiveMessageOnPort(port)?.message as ReadAnswer | undefined
    if (answer === undefined) throw new Error('the host has sent no answer')
    if ('error' in answer) throw new Error(answer.error)
    return answer.value
  }
  const sandbox = new Sandbox(start.module)
  const loader = new Loader(sandbox)
  const run = (job: LuaJob): LuaAnswer => {
    if (job.kind === 'load') return loader.load(job)
    if (job.kind === 'check') return checkTexts(sandbox, job)
    return runScript(sandbox, job, job.asks ? read : undefined)
  }
  port.on('message', (job: LuaJob) => {
    try {
      send({ kind: 'end', answer: run(job) })
    } catch (thrown) {
      send({ kind: 'broken', message: thrown instanceof Error ? thrown.message : String(thrown) })
    }
  })
  send({ kind: 'ready' })
}

if (parentPort !== null) serve(parentPort, workerData as WorkerStart)
