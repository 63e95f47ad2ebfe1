import { basename } from 'node:path'
import type { Redactor } from '../kernel/index.ts'
import { type ModelRequest, type Models, recordedModels, redactedModels } from '../models/index.ts'
import type { AgentChoice, RunSettings } from '../policy/index.ts'
import { readText } from '../programs/read-text.ts'
import { jsonSchemaIssues } from '../text/json-schema/schema-findings.ts'

/** The models of real and of simulated runs. */
interface ModelChoices {
  readonly real: Models
  readonly simulated: Models
  /** Takes secrets out of replies. */
  readonly redact: Redactor
}

/** The settings of a run that name its models. */
type ModelSettings = Pick<RunSettings, 'agent' | 'simulated'>

/** The models of a run: those of the process, or what its choice puts in their place. A recording is handed out in order. */
export function modelsByRun({ real, simulated, redact }: ModelChoices): (run: ModelSettings) => Models {
  const own = new WeakMap<ModelSettings, Models>()
  return (run) => {
    const known = own.get(run) ?? modelsFor(run.agent ?? {}, run.simulated ? simulated : real, redact)
    own.set(run, known)
    return known
  }
}

/** Throws for a recording that cannot be read or understood, before a run depends on it: `R1021`, `R1024`, `R4021`. */
export function checkRecording(file: string): void {
  recordedModels(readText(file), basename(file), jsonSchemaIssues)
}

/** Returns the models of a run: a recording, or the host's models with the model of the run as the default. */
export function modelsFor(choice: AgentChoice, models: Models, redact: Redactor): Models {
  return redactedModels(chosenModels(choice, models), redact)
}

function chosenModels({ model, recorded }: AgentChoice, models: Models): Models {
  if (recorded !== undefined) return recordedModels(readText(recorded), basename(recorded), jsonSchemaIssues)
  if (model === undefined) return models
  const withModel = (request: ModelRequest): ModelRequest => ({ ...request, model: request.model ?? model })
  return {
    configured: true,
    name: (request) => request?.model ?? model,
    price: (request) => models.price(withModel(request)),
    unpricedModels: (request) => models.unpricedModels(withModel(request)),
    generate: (request, call) => models.generate(withModel(request), call),
  }
}
