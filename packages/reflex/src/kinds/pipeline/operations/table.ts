import { start } from './flow/start.ts'
import { exit } from './flow/exit.ts'
import { branch } from './flow/branch.ts'
import { parallel } from './flow/parallel.ts'
import { fanIn } from './flow/fan-in.ts'
import { map } from './flow/items.ts'
import { codergen } from './models/codergen.ts'
import { transform } from './data/transform.ts'
import { tool } from './commands/tool.ts'
import { shell } from './commands/shell.ts'
import { action } from './actions/node.ts'
import { hostFunction } from './commands/function.ts'
import { routingSelect } from './flow/routing-select.ts'
import { promptAbTest } from './evaluation/ab-test.ts'
import { driftDetect } from './evaluation/drift.ts'
import { retryEscalate } from './people/escalate.ts'
import { evalRun } from './evaluation/eval-run.ts'
import { evalAggregate } from './evaluation/eval-aggregate.ts'
import { readFile } from './commands/read-file.ts'
import { readContext } from './commands/read-context.ts'
import { readApi } from './commands/read-api.ts'
import { evalDataset } from './evaluation/eval-dataset.ts'
import { memoryRecall } from './memory/recall.ts'
import { memoryWorkingLoad } from './memory/working-load.ts'
import { memoryStats } from './memory/stats.ts'
import { memoryRecallStore } from './memory/recall-store.ts'
import { fileWrite } from './commands/file-write.ts'
import { writeContext } from './commands/write-context.ts'
import { writeApi } from './commands/write-api.ts'
import { accumulator } from './data/accumulator.ts'
import { memoryConsolidate } from './memory/consolidate.ts'
import { memoryIndex } from './memory/index-value.ts'
import { memoryWorkingSave } from './memory/working-save.ts'
import { memoryStoreFile } from './memory/store-file.ts'
import { evalPersist } from './evaluation/eval-persist.ts'
import { evalReport } from './evaluation/eval-report.ts'
import { graphInvoke } from './flow/graph-invoke.ts'
import { graphCompose } from './flow/graph-compose.ts'
import { pipelineRun } from './flow/pipeline-run.ts'
import { feedbackLoop } from './evaluation/feedback.ts'
import { managerLoop } from './flow/manager.ts'
import { sessionClassify } from './sessions/classify.ts'
import { sessionMemoryRecall } from './sessions/memory-recall.ts'
import { sessionModeSelect } from './sessions/mode-select.ts'
import { sessionLlmCall } from './sessions/llm-call.ts'
import { sessionToolDispatch } from './sessions/tool-dispatch.ts'
import { sessionFormat } from './sessions/format.ts'
import { sessionMemoryUpdate } from './sessions/memory-update.ts'
import { sessionCheckpoint } from './sessions/checkpoint.ts'
import { sessionBackgroundChecks } from './sessions/background-checks.ts'
import { sessionProcessResults } from './sessions/process-results.ts'
import { sessionRouteActions } from './sessions/route-actions.ts'
import { sessionUpdateGoals } from './sessions/update-goals.ts'
import { sessionStoreDecompositions } from './sessions/store-decompositions.ts'
import { sessionProcessProposalDecisions } from './sessions/process-proposal-decisions.ts'
import { sessionConsolidate } from './sessions/consolidate.ts'
import { sessionUpdateWorkingMemory } from './sessions/update-working-memory.ts'
import { sessionStoreIdentity } from './sessions/store-identity.ts'
import { consensusPropose } from './people/consensus-propose.ts'
import { consensusAsk } from './people/consensus-ask.ts'
import { consensusAwait } from './people/consensus-await.ts'
import { consensusCheck } from './people/consensus-check.ts'
import { consensusDecide } from './people/consensus-decide.ts'
import { adapt } from './flow/adapt.ts'
import { waitHuman } from './people/human.ts'
import { waitTimer } from './people/wait-timer.ts'
import { waitSignal } from './people/wait-signal.ts'
import { gateExpression } from './gates/expression.ts'
import { outputValidate } from './gates/output-validate.ts'
import { pipelineValidate } from './gates/pipeline-validate.ts'
import { gateBudget } from './gates/budget.ts'
import { gateApproval } from './gates/approval.ts'
import { gateTrust } from './gates/trust.ts'
import { gateCapability } from './gates/capability.ts'
import { gatePlain } from './gates/plain.ts'

/** The built-in operations. A host adds its own in a separate list. */
export const OPERATIONS = [
  start,
  exit,
  branch,
  parallel,
  fanIn,
  map,
  codergen,
  transform,
  tool,
  shell,
  action,
  hostFunction,
  routingSelect,
  promptAbTest,
  driftDetect,
  retryEscalate,
  evalRun,
  evalAggregate,
  readFile,
  readContext,
  readApi,
  evalDataset,
  memoryRecall,
  memoryWorkingLoad,
  memoryStats,
  memoryRecallStore,
  fileWrite,
  writeContext,
  writeApi,
  accumulator,
  memoryConsolidate,
  memoryIndex,
  memoryWorkingSave,
  memoryStoreFile,
  evalPersist,
  evalReport,
  graphInvoke,
  graphCompose,
  pipelineRun,
  feedbackLoop,
  managerLoop,
  sessionClassify,
  sessionMemoryRecall,
  sessionModeSelect,
  sessionLlmCall,
  sessionToolDispatch,
  sessionFormat,
  sessionMemoryUpdate,
  sessionCheckpoint,
  sessionBackgroundChecks,
  sessionProcessResults,
  sessionRouteActions,
  sessionUpdateGoals,
  sessionStoreDecompositions,
  sessionProcessProposalDecisions,
  sessionConsolidate,
  sessionUpdateWorkingMemory,
  sessionStoreIdentity,
  consensusPropose,
  consensusAsk,
  consensusAwait,
  consensusCheck,
  consensusDecide,
  adapt,
  waitHuman,
  waitTimer,
  waitSignal,
  gateExpression,
  outputValidate,
  pipelineValidate,
  gateBudget,
  gateApproval,
  gateTrust,
  gateCapability,
  gatePlain,
] as const
