import { interactive } from '../type';
import { RolloutView } from './view';

export const rollout = interactive('rollout', RolloutView);
