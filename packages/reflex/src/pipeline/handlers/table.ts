import type { Handler } from '../engine/handler.ts'
import { promptAbTest } from './ab-test.ts'
import { accumulator } from './accumulator.ts'
import { codergen } from './codergen.ts'
import { graphCompose, graphInvoke, pipelineRun } from './compose.ts'
import { consensusAsk, consensusAwait, consensusCheck, consensusPropose } from './consensus.ts'
import { consensusDecide } from './consensus-decide.ts'
import { driftDetect } from './drift.ts'
import { retryEscalate } from './escalate.ts'
import { evalAggregate } from './eval-aggregate.ts'
import { evalDataset } from './eval-dataset.ts'
import { evalPersist } from './eval-persist.ts'
import { evalReport } from './eval-report.ts'
import { evalRun } from './eval-run.ts'
import { action, hostFunction, shell, tool } from './exec.ts'
import { fanIn } from './fan-in.ts'
import { feedbackLoop } from './feedback.ts'
import { gateApproval, gateBudget, gateCapability, gateExpression, gatePlain, gateTrust, outputValidate, pipelineValidate } from './gate.ts'
import { waitHuman } from './human.ts'
import { map } from './items.ts'
import { managerLoop } from './manager.ts'
import { memoryConsolidate, memoryIndex, memoryRecall, memoryStats, memoryWorkingLoad, memoryWorkingSave } from './memory.ts'
import { memoryRecallStore, memoryStoreFile } from './memory-store.ts'
import { parallel } from './parallel.ts'
import { branch, exit, start } from './plain.ts'
import { readApi, readContext, readFile } from './read.ts'
import { routingSelect } from './routing-select.ts'
import { SESSION_HANDLERS } from './session.ts'
import { transform } from './transform.ts'
import { waitSignal, waitTimer } from './wait.ts'
import { fileWrite, writeApi, writeContext } from './write.ts'

/** What performs each operation (compile/operation.ts); an operation that is not here fails, and can be routed. */
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
