export { faults } from './faults.ts'
export { guardedFetch } from './http.ts'
export { languageModel, type LanguageModel } from './language-model.ts'
export { type FileFacts, filePart, filePartOf, fileText, messageText } from './content.ts'
export { createModels, type ModelsOptions, type NamedModels } from './create.ts'
export type { FindMisfits } from './misfits.ts'
export { keyInOptionsFault, findKey } from './request.ts'
export {
  accessName,
  accessVariables,
  providerAccess,
  type ProviderAccess,
  shortName,
  usableAccesses,
} from './model-names.ts'
export { modelPort } from './port.ts'
export { type PriceFile, readPrices } from './price-file.ts'
export { PRICED_ON } from './price-list.ts'
export { FREE } from './prices.ts'
export { recordedModels } from './recorded.ts'
export { recorder } from './recorder.ts'
export { redactedFault, redactedModels } from './redacted.ts'
export { costTraits } from './reserve.ts'
export { type ScriptedReply, scriptedModel } from './scripted.ts'
export { simulatedModel } from './simulated.ts'
export { assistantMessage, shortResult, toolLoop, type ToolLoop, type ToolLoopResult } from './tool-loop.ts'
export type * from './types.ts'
export { cutText } from './answer-completeness.ts'
