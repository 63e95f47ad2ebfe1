import { isObject, type JsonObject } from '../../kernel/index.ts'
import type { ImportReport } from './import-report.ts'
import { contentText, itemsIn, objectIn } from './loose-json.ts'
import { TranscriptBuilder } from './transcript-builder.ts'
import type { Transcript, TranscriptUsage } from './transcript.ts'

/**
 * Reads a trajectory of SWE-agent: each action is a command line, and each observation its output, which does not say if it failed. What the session
 * cost is spread evenly over its replies, as it has only the total. A session that did not submit has failed; one that did may be right or wrong.
 */
export function readSweAgent(file: JsonObject, report: ImportReport, line: (step: number) => number): Transcript {
  const builder = new TranscriptBuilder(report)
  const { trajectory, history, info } = file
  for (const message of itemsIn(history)) {
    const { role, content, is_demo: isDemo } = objectIn(message)
    if (role === 'user' && isDemo !== true) {
      builder.user(contentText(content))
      break
    }
  }
  const steps = itemsIn(trajectory)
  const usage = usageOf(objectIn(info), steps.length)
  for (const [i, step] of steps.entries()) {
    const { action, observation = null, response, execution_time: seconds } = objectIn(step)
    if (!isObject(step) || typeof action !== 'string') {
      report.leftOut(`step ${i + 1} has no action`, line(i))
      continue
    }
    builder.reply({ usage })
    if (typeof response === 'string') builder.said(response)
    if (action.trim() === '') continue
    const id = String(i)
    const ms = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1000) : 0
    builder.call({ id, tool: 'shell', args: { command: action.trimEnd() }, place: i + 1, at: 0 })
    builder.result(id, observation, 2, i + 1, ms)
  }
  builder.succeeded = hasFailed(objectIn(info)) ? false : undefined
  return builder.end()
}

function usageOf({ model_stats: stats }: JsonObject, replies: number): TranscriptUsage {
  const { instance_cost: cost, tokens_sent: sent, tokens_received: received } = objectIn(stats)
  const share = (total: number): number => total / Math.max(1, replies)
  return {
    ...(isAmount(cost) ? { usd: share(cost) } : {}),
    ...(isAmount(sent) && isAmount(received) ? { input: Math.round(share(sent)), output: Math.round(share(received)) } : {}),
  }
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
}

function hasFailed({ exit_status: status }: JsonObject): boolean {
  return typeof status === 'string' && !status.startsWith('submitted')
}
