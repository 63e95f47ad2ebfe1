import type { Handler } from '../contract/handler.ts'
import { promptAbTest } from './evaluation/ab-test.ts'
import { accumulator } from './data/accumulator.ts'
import { codergen } from './models/codergen.ts'
import { graphCompose, graphInvoke, pipelineRun } from './flow/compose.ts'
import { consensusAsk, consensusAwait, consensusCheck, consensusPropose } from './people/consensus.ts'
import { consensusDecide } from './people/consensus-decide.ts'
import { driftDetect } from './evaluation/drift.ts'
import { retryEscalate } from './people/escalate.ts'
import { evalAggregate } from './evaluation/eval-aggregate.ts'
import { evalDataset } from './evaluation/eval-dataset.ts'
import { evalPersist } from './evaluation/eval-persist.ts'
import { evalReport } from './evaluation/eval-report.ts'
import { evalRun } from './evaluation/eval-run.ts'
import { action, hostFunction, shell, tool } from './commands/exec.ts'
import { fanIn } from './flow/fan-in.ts'
import { feedbackLoop } from './evaluation/feedback.ts'
import {
  gateApproval,
  gateBudget,
  gateCapability,
  gateExpression,
  gatePlain,
  gateTrust,
  outputValidate,
  pipelineValidate,
} from './people/gate.ts'
import { waitHuman } from './people/human.ts'
import { map } from './flow/items.ts'
import { managerLoop } from './flow/manager.ts'
import { memoryConsolidate, memoryIndex, memoryRecall, memoryStats, memoryWorkingLoad, memoryWorkingSave } from './data/memory-handlers.ts'
import { memoryRecallStore, memoryStoreFile } from './data/memory-store.ts'
import { parallel } from './flow/parallel.ts'
import { branch, exit, start } from './models/start-exit-branch.ts'
import { readApi, readContext, readFile } from './commands/read.ts'
import { routingSelect } from './flow/routing-select.ts'
import { SESSION_HANDLERS } from './models/session.ts'
import { transform } from './data/transform.ts'
import { waitSignal, waitTimer } from './people/wait.ts'
import { fileWrite, writeApi, writeContext } from './commands/write.ts'

/** What performs each operation (model/operation.ts); an operation that is not here fails, and can be routed. */
export const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['start', start],
  ['exit', exit],
  ['branch', branch],
  ['parallel', parallel],
  ['fan_in', fanIn],
  ['map', map],
  ['transform', transform],
  ['codergen', codergen],
  ['routing.select', routingSelect],
  ['prompt.ab_test', promptAbTest],
  ['drift_detect', driftDetect],
  ['retry.escalate', retryEscalate],
  ['feedback.loop', feedbackLoop],
  ['eval.dataset', evalDataset],
  ['eval.run', evalRun],
  ['eval.aggregate', evalAggregate],
  ['eval.persist', evalPersist],
  ['eval.report', evalReport],
  ['consensus.propose', consensusPropose],
  ['consensus.ask', consensusAsk],
  ['consensus.await', consensusAwait],
  ['consensus.check', consensusCheck],
  ['consensus.decide', consensusDecide],
  ['tool', tool],
  ['shell', shell],
  ['action', action],
  ['function', hostFunction],
  ['read.file', readFile],
  ['read.context', readContext],
  ['read.api', readApi],
  ['file.write', fileWrite],
  ['write.context', writeContext],
  ['write.api', writeApi],
  ['accumulator', accumulator],
  ['memory.recall', memoryRecall],
  ['memory.working_load', memoryWorkingLoad],
  ['memory.stats', memoryStats],
  ['memory.recall_store', memoryRecallStore],
  ['memory.consolidate', memoryConsolidate],
  ['memory.index', memoryIndex],
  ['memory.working_save', memoryWorkingSave],
  ['memory.store_file', memoryStoreFile],
  ...SESSION_HANDLERS,
  ['wait.human', waitHuman],
  ['wait.timer', waitTimer],
  ['wait.signal', waitSignal],
  ['gate', gatePlain],
  ['gate.expression', gateExpression],
  ['gate.budget', gateBudget],
  ['gate.trust', gateTrust],
  ['gate.capability', gateCapability],
  ['gate.approval', gateApproval],
  ['output.validate', outputValidate],
  ['pipeline.validate', pipelineValidate],
  ['graph.invoke', graphInvoke],
  ['graph.compose', graphCompose],
  ['pipeline.run', pipelineRun],
  ['stack.manager_loop', managerLoop],
])
