import { createModels, FREE, type Models, type ModelsOptions, simulatedModel } from '../models/index.ts'

/**
 * Returns the models of a simulated run: every name means one model that answers at once and costs nothing. The other ports state
 * what they do in a simulated run themselves (`Port.simulate`). The first record says that a run is simulated, so no resume makes it real.
 */
export function simulatedModels(settings: Pick<ModelsOptions, 'host' | 'guess' | 'check'>): Models {
  const models = createModels({ ...settings, environment: {}, model: 'simulated', models: { simulated: simulatedModel() } })
  return {
    configured: true,
    name: () => 'simulated',
    price: () => FREE,
    unpricedModels: () => [],
    generate: ({ model: _model, ...request }, call) => models.generate(request, call),
  }
}
