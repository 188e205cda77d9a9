import { interactive } from '../type';
import { ChartView } from './view';

export const chart = interactive('chart', ChartView);
